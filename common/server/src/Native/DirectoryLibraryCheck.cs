namespace Optiks.Native;

/// <summary>Checks liboptiks for programs that have directories.</summary>
public static class DirectoryLibraryCheck
{
    /// <summary>
    /// Makes the checks of <see cref="NativeLibraryCheck.Ensure()"/>, and checks the sizes of the structs of directories. Throws
    /// <see cref="NativeLibraryException"/> if one of these checks fails.
    /// </summary>
    public static void Ensure() => NativeLibraryCheck.Ensure(() =>
    {
        NativeLibraryCheck.CheckSize<LeafRow>("optiks_leaf_t");
        NativeLibraryCheck.CheckSize<DirectoryInterop.DirOptions>("optiks_dir_options_t");
        NativeLibraryCheck.CheckSize<DirectoryStats>("optiks_dir_stats_t");
        NativeLibraryCheck.CheckSize<DirectoryInterop.UsersSummary>("optiks_users_summary_t");
        NativeLibraryCheck.CheckSize<DirectoryInterop.UserMonitorSummary>("optiks_user_monitor_summary_t");
        NativeLibraryCheck.CheckSize<DirectoryInterop.UserMonitorPage>("optiks_user_monitor_page_t");
    });
}
