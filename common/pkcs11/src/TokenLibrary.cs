using System.Runtime.InteropServices;
using Net.Pkcs11Interop.Common;
using Net.Pkcs11Interop.HighLevelAPI;
using Optiks.Secrets;

namespace Optiks.Pkcs11;

/// <summary>
/// Holds a PKCS#11 library as long as sessions of this process use it. All sessions share one instance, because finalizing a library ends
/// all of its sessions, even a session in which another thread is signing. Any thread may use it.
/// </summary>
internal sealed class TokenLibrary : IDisposable
{
    private static readonly Lock s_lock = new();
    private static readonly Dictionary<string, TokenLibrary> s_open = new(StringComparer.Ordinal);

    private readonly string _module;
    private int _users;
    private bool _ended;

    // The .NET binding loads libdl by a name that exists only if development packages are installed. The resolver loads it by another name.
    static TokenLibrary() => NativeLibrary.SetDllImportResolver(
        typeof(Pkcs11InteropFactories).Assembly,
        (name, _, _) => name == "libdl" && OperatingSystem.IsLinux() && NativeLibrary.TryLoad("libdl.so.2", out nint library)
            ? library
            : nint.Zero);

    private TokenLibrary(string module)
    {
        _module = module;
        Library = Factories.Pkcs11LibraryFactory.LoadPkcs11Library(Factories, module, AppType.MultiThreaded);
    }

    public static Pkcs11InteropFactories Factories { get; } = new();

    public IPkcs11Library Library { get; }

    /// <summary>
    /// Returns the library, and loads it if it is not loaded yet. Each caller disposes the returned object. Throws
    /// <see cref="SecretsException"/> if the library cannot be loaded.
    /// </summary>
    public static TokenLibrary Acquire(string module)
    {
        lock (s_lock)
        {
            try
            {
                if (!s_open.TryGetValue(module, out TokenLibrary? library))
                {
                    library = new TokenLibrary(module);
                    s_open.Add(module, library);
                }
                library._users++;
                return library;
            }
            catch (UnmanagedException e)
            {
                throw new SecretsException(
                    $"{module} cannot be loaded as a PKCS#11 library: correct module-path, or install the token's software. {ErrorText.Line(e.Message)}", e);
            }
        }
    }

    /// <summary>
    /// Makes the next call of <see cref="Acquire"/> initialize the library again. Call this method after other code of this process has
    /// finalized the library.
    /// </summary>
    public void Forget()
    {
        lock (s_lock)
        {
            _ended = true;
            if (s_open.GetValueOrDefault(_module) == this)
            {
                _ = s_open.Remove(_module);
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        lock (s_lock)
        {
            // If `Forget` was called, the library must not be finalized here: that would also finalize the library that was initialized
            // afterwards.
            if (--_users > 0 || _ended)
            {
                return;
            }
            _ = s_open.Remove(_module);
            try
            {
                Library.Dispose();
            }
            catch (Pkcs11Exception)
            {
                // Other code of this process has already finalized the library, so there is nothing left to do.
            }
        }
    }
}
