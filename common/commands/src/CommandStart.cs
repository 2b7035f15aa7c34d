namespace Optiks.Commands;

/// <summary>CommandStart is what a command line program does before it looks at its arguments. Services do the same in their <c>Startup</c>.</summary>
public static class CommandStart
{
    /// <summary>
    /// Prepare refuses a command line or environment that is not exact text (<see cref="ExactText"/>) and installs <see cref="HttpsOnlyProxy"/>. Returns the exit code of the refusal, which it has printed;
    /// null: go on.
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
