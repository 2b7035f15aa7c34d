using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.Options;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Secrets;

namespace Optiks.ServiceDefaults;

/// <summary>Startup runs a host's main function so that what an operator can mend ends in one sentence on standard error and an exit code, not in a stack trace.</summary>
public static class Startup
{
    /// <summary>
    /// RunAsync checks the native library, runs the host and returns the exit code. Configuration, native library and secrets that do
    /// not do give <see cref="ExitCodes.Configuration"/>, a <see cref="StartupException"/> its own code; <paramref name="classify"/> gives the
    /// code of a host's further exceptions, null for none. Anything else is a bug and passes through.
    /// </summary>
    public static Task<int> RunAsync(Func<Task> main, Func<Exception, int?>? classify = null) => RunAsync(main, classify, Console.Error);

    internal static async Task<int> RunAsync(Func<Task> main, Func<Exception, int?>? classify, TextWriter error)
    {
        ArgumentNullException.ThrowIfNull(main);
        try
        {
            NativeLibraryCheck.Ensure();
            await main();
            return ExitCodes.Success;
        }
        catch (Exception e) when (ExitCodeOf(e, classify) is { } code)
        {
            await error.WriteLineAsync($"optiks: {Sentence(e)}");
            return code;
        }
    }

    private static int? ExitCodeOf(Exception exception, Func<Exception, int?>? classify) => exception switch
    {
        StartupException startup => startup.ExitCode,
        NativeLibraryException or SecretsException or TrustAnchorException or OptionsValidationException => ExitCodes.Configuration,
        IOException { InnerException: AddressInUseException } => ExitCodes.Configuration,
        _ => classify?.Invoke(exception),
    };

    private static string Sentence(Exception exception) =>
        exception is OptionsValidationException options ? string.Join("; ", options.Failures) : exception.Message.ReplaceLineEndings(" ");
}
