using System.Reflection;
using System.Runtime.InteropServices;
using SQLitePCL;

namespace Optiks.Storage.Sqlite.Engine;

/// <summary>
/// Loads the system's SQLite. The SQLite that comes with SQLitePCLRaw lacks years of fixes, so this class redirects the binding's library
/// name to <c>libsqlite3.so.0</c>.
/// </summary>
internal static partial class SqliteLibrary
{
    // The oldest usable version of SQLite is 3.37, because the schema has STRICT tables.
    private const int MinVersion = 3_037_000;
    private const string BindingName = "e_sqlite3";
    private const int HasMovedOpcode = 20; // SQLITE_FCNTL_HAS_MOVED

    // The constants come from unistd.h and errno.h; their values are the same on Linux and macOS.
    private const int W_OK = 2;
    private const int EROFS = 30;

    private static readonly Lock s_lock = new();
    private static bool s_loaded;

    /// <summary>The version of the loaded SQLite, such as <c>3.40.1</c>.</summary>
    public static string Version => raw.sqlite3_libversion().utf8_to_string();

    /// <summary>Loads the library once. Throws <see cref="StorageMisconfiguredException"/> when it is missing or too old.</summary>
    public static void Ensure()
    {
        lock (s_lock)
        {
            if (s_loaded)
            {
                return;
            }
            NativeLibrary.SetDllImportResolver(typeof(SQLite3Provider_e_sqlite3).Assembly, Resolve);
            NativeLibrary.SetDllImportResolver(typeof(SqliteLibrary).Assembly, Resolve);
            try
            {
                raw.SetProvider(new SQLite3Provider_e_sqlite3());
                if (raw.sqlite3_libversion_number() < MinVersion)
                {
                    throw new StorageMisconfiguredException($"SQLite {Version} is too old: install 3.37 or newer (Debian: libsqlite3-0).");
                }
            }
            catch (Exception e) when (e is DllNotFoundException or BadImageFormatException)
            {
                throw new StorageMisconfiguredException(
                    "SQLite's library was not found: install it (Debian: apt-get install libsqlite3-0).", e);
            }
            s_loaded = true;
        }
    }

    /// <summary>Returns whether the database's path no longer has the file that SQLite opened. If the check itself fails, also returns
    /// true.</summary>
    public static bool HasMoved(sqlite3 database)
    {
        int result = sqlite3_file_control(database.DangerousGetHandle(), "main", HasMovedOpcode, out int moved);
        return result != raw.SQLITE_OK || moved != 0;
    }

    /// <summary>
    /// Returns whether the file is on a read-only file system. This method does not open the file, because closing it again would release
    /// SQLite's locks on it. Thread-safe.
    /// </summary>
    public static bool IsOnReadOnlyFileSystem(string path) => access(path, W_OK) != 0 && Marshal.GetLastPInvokeError() == EROFS;

    private static IntPtr Resolve(string name, Assembly assembly, DllImportSearchPath? searchPath) =>
        name == BindingName ? NativeLibrary.Load(OperatingSystem.IsMacOS() ? "libsqlite3.dylib" : "libsqlite3.so.0") : IntPtr.Zero;

    [LibraryImport("libc", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int access(string path, int mode);

    [LibraryImport(BindingName, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int sqlite3_file_control(nint database, string name, int opcode, out int value);
}
