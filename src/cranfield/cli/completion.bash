_cranfield() {
    local next=$(_cranfield_next "${COMP_WORDS[@]:1:COMP_CWORD}")
    COMPREPLY=($(compgen -W "$next" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _cranfield cranfield
