_cranfield_row() {
    case "$1" in
ROWS
    esac
}
_cranfield_next() {
    local key=cranfield before= row
    while [ $# -gt 1 ]; do
        [ -n "$(_cranfield_row "$key $1 -")" ] && key="$key $1"
        before=$1
        shift
    done
    case "$1" in -*) _cranfield_row "$key -"; return ;; esac
    row=$(_cranfield_row "$key $before")
    echo "${row:-$(_cranfield_row "$key")}"
}
