function __cranfield_row
    switch "$argv"
ROWS
    end
end
function __cranfield_next
    set -l key cranfield
    set -l words (commandline -opc)
    for word in $words[2..-1]
        test -n "$(__cranfield_row "$key $word -")"; and set key "$key $word"
    end
    set -l row (__cranfield_row "$key $words[-1]")
    test -n "$row"; or set row (__cranfield_row $key)
    string match -q -- '-*' (commandline -ct); and set row (__cranfield_row "$key -")
    string split ' ' -- $row
end
complete -c cranfield -a '(__cranfield_next)'
