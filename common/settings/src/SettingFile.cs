namespace Optiks.Settings;

/// <summary>SettingFile is what a setting names.</summary>
internal enum SettingFile
{
    /// <summary>No file.</summary>
    None,

    /// <summary>Public: a file that anyone may read.</summary>
    Public,

    /// <summary>Secret: a file with a key, which only its owner may read.</summary>
    Secret,

    /// <summary>Policy: a file in the form of docs/spec/board.md section 7.</summary>
    Policy,
}
