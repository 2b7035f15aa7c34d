namespace Optiks.Storage;

/// <summary>RefusalReason: numbers are stored and never change their meaning.</summary>
public enum RefusalReason
{
    /// <summary>The key's latest version is not the expected one.</summary>
    ExpectedVersion = 1,
}
