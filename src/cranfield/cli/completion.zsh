_cranfield() {
    local next=$(_cranfield_next "${(@)words[2,CURRENT]}")
    [[ -n $next ]] && compadd -- ${=next} || _files
}
[[ $funcstack[1] == _cranfield ]] && _cranfield || compdef _cranfield cranfield
