/** grid_cell.ts: the size of the grid's cells at a zoom. */

/** 1, 2 or 5 times a power of ten: the size of a cell that is about `pixels` wide. */
export function gridCell(pixelsPerMeter: number, pixels: number): number {
  const wanted = pixels / pixelsPerMeter;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const rest = wanted / power;
  return power * (rest < 1.5 ? 1 : rest < 3.5 ? 2 : rest < 7.5 ? 5 : 10);
}
