#!/bin/sh
# schema.sh: properties that the .proto files must have.
#
# No message contains itself, directly or through others: the decoder recurses, so a recursive type
# would let a few kilobytes overflow a stack.  No map (not in protobuf-c), no proto3 `optional`
# (this protoc-c has none: use a one-member oneof), no enum outside a message, and no two fields of
# a message, or values of an enum, with the same JSON name.
set -eu
cd "${srcdir:-.}"
srcdir=. sh tests/lint/files.sh '*.proto' | xargs cat | awk '
    function complain(what) { print "schema: " what; bad = 1 }
    function json_name(name,   out, i, c, up) {
        out = ""; up = 0
        for (i = 1; i <= length(name); i++) {
            c = substr(name, i, 1)
            if (c == "_") { up = 1; continue }
            out = out (up ? toupper(c) : c); up = 0
        }
        return out
    }
    # The message that `type` names inside `scope`, or "": innermost first, as protoc does.
    function resolve(type, scope) {
        for (;;) {
            if ((scope == "" ? type : scope "." type) in message) {
                return scope == "" ? type : scope "." type
            }
            if (scope == "") { return "" }
            if (!sub(/\.[^.]*$/, "", scope)) { scope = "" }
        }
    }
    function visit(m,   i, path) {
        if (state[m] == 2) { return }
        if (state[m] == 1) { complain(m " contains itself"); return }
        state[m] = 1
        for (i = 1; i <= member_count[m]; i++) { visit(member[m, i]) }
        state[m] = 2
    }
    { sub(/\/\/.*/, ""); text = text " " $0 }
    END {
        gsub(/[{};]/, " & ", text); gsub(/"[^"]*"/, " ", text); gsub(/[=\[\],]/, " & ", text)
        count = split(text, t, /[ \t]+/)
        depth = 0; scope = ""
        for (i = 1; i <= count; i++) {
            w = t[i]
            if (w == "message" || w == "enum" || w == "oneof") {
                if (w == "enum" && scope == "") { complain("enum " t[i + 1] " is outside a message") }
                kind[++depth] = w; outer[depth] = scope
                if (w != "oneof") { scope = (scope == "" ? "" : scope ".") t[i + 1] }
                if (w == "message") { message[scope] = 1; messages++ }
                if (w == "enum") { enums[scope] = 1 }
                i += 2
            } else if (w == "}") {
                scope = outer[depth--]
            } else if (w ~ /^(map<?.*|optional|required|group|extensions)$/ && depth > 0) {
                complain(scope ": " w " is not used here")
            } else if (w == "=" && depth > 0 && t[i + 2] != "") {
                name = t[i - 1]
                key = scope SUBSEP (kind[depth] == "enum" ? toupper(name) : json_name(name))
                if (key in seen) { complain(scope ": " name " and " seen[key] " have one JSON name") }
                seen[key] = name
                if (kind[depth] != "enum") { fields++; field_scope[fields] = scope; type[fields] = t[i - 2] }
                while (t[i] != ";") { i++ }
            }
        }
        for (i = 1; i <= fields; i++) {
            m = resolve(type[i], field_scope[i])
            if (m != "") { member[field_scope[i], ++member_count[field_scope[i]]] = m }
        }
        for (m in message) { visit(m) }
        if (!messages) { complain("no message found") }
        print "schema: " fields + 0 " fields in " messages + 0 " messages"
        exit bad
    }'
