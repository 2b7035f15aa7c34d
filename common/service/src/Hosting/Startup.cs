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
/// Runs a host's main function. After a fault that an operator can repair, the program prints one sentence to standard error, without a
/// stack trace, and ends with an exit code.
/// </summary>
public static class Startup
{
    // The longest time for which the program waits until the sentence about its fault is printed.
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(5);

    /// <summary>
    /// Checks the native library, runs the host and returns the exit code. The code is <see cref="ExitCodes.Configuration"/> if the
    /// configuration, the native library or a secret is unusable. A <see cref="StartupException"/> has its own code.
    /// The function <paramref name="classify"/> returns the code of an exception that only this host knows, or null. All other exceptions
    /// are bugs, and the method rethrows them.
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
    /// Runs a host that was built with <see cref="OptiksDefaults.AddOptiksDefaults"/>, until it is told to stop. If a part of the host
    /// reported a fault to <see cref="HostFailure"/>, throws that fault.
    /// </summary>
    public static async Task RunHostAsync(WebApplication app)
    {
        ArgumentNullException.ThrowIfNull(app);
        // The object is fetched now, because the host's services are disposed when the run ends.
        HostFailure failure = app.Services.GetRequiredService<HostFailure>();
        CancellationToken stopping = app.Lifetime.ApplicationStopping;
        CancellationToken started = app.Lifetime.ApplicationStarted;
        string addresses = app.Configuration[WebHostDefaults.ServerUrlsKey] is { Length: > 0 } urls
            ? urls
            : "the addresses of Kestrel:Endpoints";
        try
        {
            await app.RunAsync();
        }
        catch (OperationCanceledException) when (stopping.IsCancellationRequested)
        {
            // The start was cancelled, because the host failed or was told to stop before the server had started.
        }
        // Kestrel could not listen, because the address belongs to another machine, the port is privileged, or a certificate is missing.
        // Kestrel throws a different exception for each cause.
        catch (Exception e) when (!started.IsCancellationRequested && !failure.HasFailed
            && e is SocketException or IOException { InnerException: not AddressInUseException } or UnauthorizedAccessException
                or CryptographicException)
        {
            throw new StartupException($"The service cannot listen on {addresses}: {ErrorText.Line(e.Message)}", e);
        }
        failure.ThrowIfFailed();
    }

    internal static async Task<int> RunAsync(Func<Task> main, Func<Exception, int?>? classify, TextWriter error)
    {
        ArgumentNullException.ThrowIfNull(main);
        // Output and logs must not depend on the machine's language, because programs read them.
        CultureInfo.CurrentCulture = CultureInfo.DefaultThreadCurrentCulture = CultureInfo.InvariantCulture;
        try
        {
            DirectoryLibraryCheck.Ensure();
            await main();
            return ExitCodes.Success;
        }
        catch (Exception e) when (FindExitCode(e, classify) is { } code)
        {
            // The process waits no longer than this time for standard error, because a stalled reader must not keep it alive.
            await Task.WhenAny(Task.Run(() => error.WriteLine($"optiks: {Sentence(e)}")), Task.Delay(s_patience));
            return code;
        }
    }

    // These assemblies read settings that Optiks does not define: addresses, log levels and appsettings.json. If such a setting is wrong,
    // they throw an exception that otherwise means a bug in the caller.
    private static readonly string[] s_settingsReaders = ["Microsoft.Extensions.Configuration", "Microsoft.Extensions.Logging",
        "Microsoft.AspNetCore.Http", "Microsoft.AspNetCore.Server.Kestrel", "OpenTelemetry"];

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
