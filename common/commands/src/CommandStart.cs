namespace Optiks.Commands;

/// <summary>
/// Makes the checks and the set-up that a command line program needs before it parses its arguments. Services make the same checks in
/// <c>Startup</c>.
/// </summary>
public static class CommandStart
{
    /// <summary>
    /// Checks the command line and the environment with <see cref="ExactText"/>, and installs <see cref="HttpsOnlyProxy"/>. If the check
    /// fails, prints the failure and returns the exit code; otherwise returns null, and the program continues.
    /// </summary>
    /// <param name="json">Whether to print a failure also as a JSON object to standard output.</param>
    public static int? Prepare(bool json)
    {
        if (ExactText.FindFault() is { } fault)
        {
            return new CommandFailure(ExitCodes.Usage, "usage", fault).Print(json, Console.Out, Console.Error);
        }
        HttpsOnlyProxy.Install();
        return null;
    }
}
