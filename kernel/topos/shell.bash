# Read by every bash below GoNB that runs a command or a script.
if [ -n "$topos_before" ]; then
  export BASH_ENV="$topos_before"
else
  unset BASH_ENV
fi
if { read -r topos_gonb <"$topos_folder/gonb"; } 2>/dev/null && [ "$PPID" = "$topos_gonb" ]; then
  # Started by GoNB itself: a line after an exclamation mark, or a bash cell on
  # stdin, each without further arguments. The option s of the latter is not set
  # yet where bash reads this file, but may be in other releases.
  case "$0 $- $#" in
  "/bin/bash hBc 0")
    exec "$topos_folder/command" -c "$BASH_EXECUTION_STRING" /bin/bash
    ;;
  "bash hB 0" | "bash hBs 0")
    exec "$topos_folder/command" -c 'exec -a bash /bin/bash -s' bash
    ;;
  esac
fi
unset topos_folder topos_gonb
if [ -n "$topos_before" ]; then
  unset topos_before
  . "$BASH_ENV"
else
  unset topos_before
fi
