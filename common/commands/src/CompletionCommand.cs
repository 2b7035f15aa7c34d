using System.CommandLine;

namespace Optiks.Commands;

/// <summary>
/// Implements the command <c>completion bash|zsh|fish</c>, which prints a script for the shell. With this script, the shell asks the
/// program itself for completions.
/// </summary>
internal static class CompletionCommand
{
    // The scripts call the program with the directive [suggest:position] of System.CommandLine. The directive makes the program print the
    // words that are possible at this position of the command line, one on each line.
    private const string Bash =
        """
        # bash completion of PROGRAM. Put this into ~/.bashrc:  eval "$(PROGRAM completion bash)"
        _PROGRAM_complete() {
          local word=${COMP_WORDS[COMP_CWORD]} line
          COMPREPLY=()
          while IFS= read -r line; do
            if [[ $line == "$word"* ]]; then COMPREPLY+=("$line"); fi
          done < <("${COMP_WORDS[0]}" "[suggest:$COMP_POINT]" "$COMP_LINE" 2>/dev/null)
        }
        complete -o default -F _PROGRAM_complete PROGRAM
        """;

    private const string Zsh =
        """
        # zsh completion of PROGRAM. Put this into ~/.zshrc, after compinit:  eval "$(PROGRAM completion zsh)"
        _PROGRAM_complete() {
          local -a found
          found=("${(@f)$("${words[1]}" "[suggest:$CURSOR]" "$BUFFER" 2>/dev/null)}")
          compadd -- "${found[@]}" || _files
        }
        compdef _PROGRAM_complete PROGRAM
        """;

    private const string Fish =
        """
        # fish completion of PROGRAM. Put this into ~/.config/fish/config.fish:  PROGRAM completion fish | source
        function __PROGRAM_complete
            set -l line (commandline -cp)
            PROGRAM "[suggest:"(string length -- "$line")"]" "$line" 2>/dev/null
        end
        complete -c PROGRAM -a '(__PROGRAM_complete)'
        """;

    public static Command Create(string program)
    {
        var shell = new Argument<string>("SHELL") { Description = "bash, zsh or fish" };
        shell.AcceptOnlyFromAmong("bash", "zsh", "fish");
        var command = new Command("completion", "Print a script that completes commands and options in your shell") { shell };
        command.SetAction(parse =>
        {
            string script = parse.GetValue(shell) switch { "bash" => Bash, "zsh" => Zsh, _ => Fish };
            // The name of the shell function has no dash, because some shells allow no dash in the name of a function.
            string function = program.Replace('-', '_');
            parse.InvocationConfiguration.Output.WriteLine(
                script.Replace("_PROGRAM_complete", $"_{function}_complete", StringComparison.Ordinal)
                    .Replace("PROGRAM", program, StringComparison.Ordinal));
            return ExitCodes.Success;
        });
        return command;
    }
}
