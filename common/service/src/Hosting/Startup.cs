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
    // The longest time that printing the last sentence may take.
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
    /// Runs a host built with <see cref="OptiksDefaults.AddOptiksDefaults"/> until it is told to stop. If a fault ended the host, throws
    /// the fault (<see cref="HostFailure"/>).
    /// </summary>
    public static async Task RunHostAsync(WebApplication app)
    {
        ArgumentNullException.ThrowIfNull(app);
        // The failure is fetched now, because the end of the run disposes the services.
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
        // Kestrel could not listen: the address is another machine's, the port is privileged, or a certificate is missing. Kestrel reports
        // each cause with a different exception.
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
        // Texts and numbers must not depend on the machine's language: programs read them, in logs too.
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

    // These assemblies read settings that do not belong to Optiks: addresses, log levels, appsettings.json. They report a wrong setting
    // with an exception for misuse.
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
