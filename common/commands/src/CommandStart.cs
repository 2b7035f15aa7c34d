namespace Optiks.Commands;

/// <summary>
/// Runs the checks and set-up of a command line program before it parses its arguments. Services run the same checks in their
/// <c>Startup</c>.
/// </summary>
public static class CommandStart
{
    /// <summary>
    /// Refuses a command line or environment that is not exact text (<see cref="ExactText"/>), and installs <see cref="HttpsOnlyProxy"/>.
    /// Returns the exit code of a refusal, which it has printed, or null to continue.
    /// </summary>
    /// <param name="json">Whether failures are an object on standard output too.</param>
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
