namespace Optiks.Settings;

/// <summary>Lists the kinds of files that a setting can name.</summary>
internal enum SettingFile
{
    /// <summary>The setting names no file.</summary>
    None,

    /// <summary>The setting names a file that anyone may read.</summary>
    Public,

    /// <summary>The setting names a file with a key, which only its owner may read.</summary>
    Secret,

    /// <summary>The setting names a policy file in the form of docs/spec/board.md section 7.</summary>
    Policy,
}
