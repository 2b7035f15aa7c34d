using System.Globalization;
using System.Net.Sockets;
using System.Security.Cryptography;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Secrets;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Runs a host's main function. A fault that an operator can repair ends in one sentence on standard error and an exit code, not in a stack
/// trace.
/// </summary>
public static class Startup
{
    // The time for printing the last sentence.
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(5);

    /// <summary>
    /// Checks the native library, runs the host and returns the exit code. Unusable configuration, native library or secrets give
    /// <see cref="ExitCodes.Configuration"/>, a <see cref="StartupException"/> its own code. <paramref name="classify"/> returns the code
    /// of a host's further exceptions, or null. Any other exception is a bug and passes through.
    /// </summary>
    public static Task<int> RunAsync(Func<Task> main, Func<Exception, int?>? classify = null) => RunAsync(
        () =>
        {
            if (ExactText.FindFault() is { } fault)
            {
                throw new StartupException(fault);
            }
            CoreDumps.Forbid();
            HttpsOnlyProxy.Install();
            return main();
        },
        classify,
        Console.Error);

    /// <summary>
    /// Runs a host built with <see cref="OptiksDefaults.AddOptiksDefaults"/> until it is told to stop. Throws the fault if one ended it
    /// (<see cref="HostFailure"/>).
    /// </summary>
    public static async Task RunHostAsync(WebApplication app)
    {
        ArgumentNullException.ThrowIfNull(app);
        // Read now, because running disposes the services.
        HostFailure failure = app.Services.GetRequiredService<HostFailure>();
        CancellationToken stopping = app.Lifetime.ApplicationStopping;
        CancellationToken started = app.Lifetime.ApplicationStarted;
        string addresses = app.Configuration[WebHostDefaults.ServerUrlsKey] is { Length: > 0 } urls ? urls : "the addresses of Kestrel:Endpoints";
        try
        {
            await app.RunAsync();
        }
        catch (OperationCanceledException) when (stopping.IsCancellationRequested)
        {
            // The host failed, or was told to stop, before the server had started; the start is then cancelled.
        }
        // An address of another machine, a privileged port, a missing certificate: Kestrel reports each with a different exception.
        catch (Exception e) when (!started.IsCancellationRequested && !failure.HasFailed
            && e is SocketException or IOException { InnerException: not AddressInUseException } or UnauthorizedAccessException or CryptographicException)
        {
            throw new StartupException($"The service cannot listen on {addresses}: {ErrorText.Line(e.Message)}", e);
        }
        failure.ThrowIfFailed();
    }

    internal static async Task<int> RunAsync(Func<Task> main, Func<Exception, int?>? classify, TextWriter error)
    {
        ArgumentNullException.ThrowIfNull(main);
        // Independent of the machine's language: programs and logs read the host's texts and numbers.
        CultureInfo.CurrentCulture = CultureInfo.DefaultThreadCurrentCulture = CultureInfo.InvariantCulture;
        try
        {
            NativeLibraryCheck.Ensure();
            await main();
            return ExitCodes.Success;
        }
        catch (Exception e) when (FindExitCode(e, classify) is { } code)
        {
            // A stalled reader of standard error must not keep the process alive.
            await Task.WhenAny(Task.Run(() => error.WriteLine($"optiks: {Sentence(e)}")), Task.Delay(s_patience));
            return code;
        }
    }

    // The readers of settings that are not Optiks': addresses, log levels, appsettings.json. They report a wrong one as misuse.
    private static readonly string[] s_settingsReaders = ["Microsoft.Extensions.Configuration", "Microsoft.Extensions.Logging", "Microsoft.AspNetCore.Http", "Microsoft.AspNetCore.Server.Kestrel", "OpenTelemetry"];

    private static bool IsSettingsError(Exception exception) =>
        exception is InvalidOperationException or FormatException or InvalidDataException or ArgumentException
        && s_settingsReaders.Any(reader => exception.Source?.StartsWith(reader, StringComparison.Ordinal) == true);

    private static int? FindExitCode(Exception exception, Func<Exception, int?>? classify) => exception switch
    {
        StartupException startup => startup.ExitCode,
        SignerUnavailableException => ExitCodes.Unreachable,
        NativeLibraryException or SecretsException or TrustAnchorException or OptionsValidationException => ExitCodes.Configuration,
        IOException { InnerException: AddressInUseException } => ExitCodes.Configuration,
        _ when IsSettingsError(exception) => ExitCodes.Configuration,
        _ => classify?.Invoke(exception),
    };

    private static string Sentence(Exception exception) =>
        exception is OptionsValidationException options ? string.Join("; ", options.Failures) : ErrorText.Line(exception.Message);
}
