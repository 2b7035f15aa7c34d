using System.Diagnostics;
using System.Runtime.InteropServices;
using Net.Pkcs11Interop.Common;
using Net.Pkcs11Interop.HighLevelAPI;

namespace Optiks.Pkcs11.Tests;

/// <summary>Provides a token of SoftHSM2, which is a PKCS#11 library in software. Each token is in its own folder.</summary>
internal sealed partial class SoftToken : IDisposable
{
    /// <summary>The module of Debian's package softhsm2.</summary>
    public const string Module = "/usr/lib/softhsm/libsofthsm2.so";

    /// <summary>The PIN of the token's user.</summary>
    public const string Pin = "4711";

    private static readonly Pkcs11InteropFactories s_factories = new();

    public SoftToken(string label = "optiks")
    {
        Label = label;
        Folder = Directory.CreateTempSubdirectory("optiks-token-").FullName;
        Directory.CreateDirectory(Tokens);
        string configuration = Path.Combine(Folder, "softhsm2.conf");
        File.WriteAllText(configuration, $"directories.tokendir = {Tokens}\nobjectstore.backend = file\nlog.level = ERROR\n");
        // The variable is set with `setenv`, because the library reads the process's environment, and .NET would change only its own copy
        // of it.
        Assert.Equal(0, setenv("SOFTHSM2_CONF", configuration, 1));
        Run(configuration, "--init-token", "--free", "--label", label, "--so-pin", "0815", "--pin", Pin);
        WritePin(Pin);
    }

    public string Label { get; }

    public string Folder { get; }

    public string PinFile => Path.Combine(Folder, "pin");

    private string Tokens => Path.Combine(Folder, "tokens");

    /// <summary>Returns the URI of the key with this label.</summary>
    public string Uri(string key = "key", string more = "") =>
        $"pkcs11:token={Label};object={key}{more}?module-path={Module}&pin-source={PinFile}";

    /// <summary>Returns the parsed URI of the key with this label.</summary>
    public Pkcs11Uri Parsed(string key = "key", string more = "")
    {
        Assert.True(Pkcs11Uri.TryParse(Uri(key, more), out Pkcs11Uri? uri, out string? problem), problem);
        return uri;
    }

    public void WritePin(string pin)
    {
        File.WriteAllText(PinFile, $"{pin}\n");
        File.SetUnixFileMode(PinFile, UnixFileMode.UserRead | UnixFileMode.UserWrite);
    }

    /// <summary>
    /// Makes the library lose its sessions, as if the token were pulled out. If <paramref name="away"/> is true, the token stays missing
    /// until <see cref="Return"/> is called.
    /// </summary>
    public void Lose(bool away)
    {
        using (IPkcs11Library library = s_factories.Pkcs11LibraryFactory.LoadPkcs11Library(s_factories, Module, AppType.MultiThreaded))
        {
            library.GetSlotList(SlotsType.WithTokenPresent).ForEach(slot => slot.CloseAllSessions());
        }
        if (away)
        {
            Directory.Move(Tokens, Tokens + ".away");
            Directory.CreateDirectory(Tokens);
        }
    }

    /// <summary>Makes a missing token available again.</summary>
    public void Return()
    {
        Directory.Delete(Tokens);
        Directory.Move(Tokens + ".away", Tokens);
    }

    /// <summary>Passes a session that is logged in to an action.</summary>
    public void Use(Action<Pkcs11InteropFactories, ISession> action)
    {
        using IPkcs11Library library = s_factories.Pkcs11LibraryFactory.LoadPkcs11Library(s_factories, Module, AppType.MultiThreaded);
        ISlot slot = library.GetSlotList(SlotsType.WithTokenPresent).Single(one => one.GetTokenInfo().Label.TrimEnd() == Label);
        using ISession session = slot.OpenSession(SessionType.ReadWrite);
        try
        {
            session.Login(CKU.CKU_USER, Pin);
        }
        catch (Pkcs11Exception e) when (e.RV == CKR.CKR_USER_ALREADY_LOGGED_IN)
        {
            // A signer of the test has already logged in. A login applies to all sessions of the process with the token, so this session is
            // logged in too.
        }
        action(s_factories, session);
    }

    public void Dispose() => Directory.Delete(Folder, recursive: true);

    private static void Run(string configuration, params string[] arguments)
    {
        using Process process = Process.Start(
            new ProcessStartInfo("softhsm2-util", arguments)
            {
                RedirectStandardOutput = true,
                RedirectStandardError = true,
                Environment = { ["SOFTHSM2_CONF"] = configuration },
            })!;
        string said = process.StandardOutput.ReadToEnd() + process.StandardError.ReadToEnd();
        process.WaitForExit();
        Assert.True(process.ExitCode == 0, said);
    }

    [LibraryImport("libc", StringMarshalling = StringMarshalling.Utf8)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int setenv(string name, string value, int overwrite);
}
