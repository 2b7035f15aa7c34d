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

/// <summary>Startup runs a host's main function so that what an operator can mend ends in one sentence on standard error and an exit code, not in a stack trace.</summary>
public static class Startup
{
    // For the last sentence.
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(5);

    /// <summary>
    /// RunAsync checks the native library, runs the host and returns the exit code. Configuration, native library and secrets that do
    /// not do give <see cref="ExitCodes.Configuration"/>, a <see cref="StartupException"/> its own code; <paramref name="classify"/> gives the
    /// code of a host's further exceptions, null for none. Anything else is a bug and passes through.
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

    /// <summary>RunHostAsync runs a host built with <see cref="OptiksDefaults.AddOptiksDefaults"/> until it is told to stop. Throws what ended it otherwise (<see cref="HostFailure"/>).</summary>
    public static async Task RunHostAsync(WebApplication app)
    {
        ArgumentNullException.ThrowIfNull(app);
        // Taken now: running disposes the services.
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
            // It failed, or was told to stop, before the server had started, whose start is then called off.
        }
        // An address of another machine, a port of root's, a certificate that is not there: Kestrel says it with whatever it met.
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
        // Whatever the language of the machine: the host's texts and numbers are for programs and logs.
        CultureInfo.CurrentCulture = CultureInfo.DefaultThreadCurrentCulture = CultureInfo.InvariantCulture;
        try
        {
            NativeLibraryCheck.Ensure();
            await main();
            return ExitCodes.Success;
        }
        catch (Exception e) when (ExitCodeOf(e, classify) is { } code)
        {
            // A reader of standard error that stalls does not keep the process.
            await Task.WhenAny(Task.Run(() => error.WriteLine($"optiks: {Sentence(e)}")), Task.Delay(s_patience));
            return code;
        }
    }

    // What reads settings that are not Optiks': addresses, log levels, appsettings.json. They report a wrong one as misuse.
    private static readonly string[] s_settingsReaders = ["Microsoft.Extensions.Configuration", "Microsoft.Extensions.Logging", "Microsoft.AspNetCore.Http", "Microsoft.AspNetCore.Server.Kestrel", "OpenTelemetry"];

    private static bool IsOfSettings(Exception exception) =>
        exception is InvalidOperationException or FormatException or InvalidDataException or ArgumentException
        && s_settingsReaders.Any(reader => exception.Source?.StartsWith(reader, StringComparison.Ordinal) == true);

    private static int? ExitCodeOf(Exception exception, Func<Exception, int?>? classify) => exception switch
    {
        StartupException startup => startup.ExitCode,
        SignerUnavailableException => ExitCodes.Unreachable,
        NativeLibraryException or SecretsException or TrustAnchorException or OptionsValidationException => ExitCodes.Configuration,
        IOException { InnerException: AddressInUseException } => ExitCodes.Configuration,
        _ when IsOfSettings(exception) => ExitCodes.Configuration,
        _ => classify?.Invoke(exception),
    };

    private static string Sentence(Exception exception) =>
        exception is OptionsValidationException options ? string.Join("; ", options.Failures) : ErrorText.Line(exception.Message);
}
