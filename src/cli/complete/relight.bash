_relight() {
    local line="${COMP_LINE:0:COMP_POINT}" words=() word breaks="" cut="" i
    # Bash takes words apart at ':' and '=', which ids and options hold: here they become whole again.
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word="${COMP_WORDS[i]}"
        if ((i == 0)) || [[ "$line" == [[:blank:]]* ]]; then
            words+=("")
        fi
        line="${line#"${line%%[![:blank:]]*}"}"
        if ((i == COMP_CWORD)); then
            word="$line"
        fi
        line="${line#"$word"}"
        words[${#words[@]} - 1]+="$word"
    done
    # What stands before the last of them is on the line already.
    [[ "$COMP_WORDBREAKS" == *:* ]] && breaks+=":"
    [[ "$COMP_WORDBREAKS" == *=* ]] && breaks+="="
    word="${words[${#words[@]} - 1]}"
    if [[ -n "$breaks" ]]; then
        cut="${word%"${word##*[$breaks]}"}"
    fi
    COMPREPLY=()
    while IFS= read -r word; do
        COMPREPLY+=("${word#"$cut"}")
    done < <(RELIGHT_COMPLETE=bash relight -- "${words[@]}" 2>/dev/null)
}
# Where nothing is offered, bash completes file names, and quotes them.
complete -o default -o nosort -F _relight relight 2>/dev/null || complete -o default -F _relight relight
