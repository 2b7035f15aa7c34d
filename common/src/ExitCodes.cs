namespace Optiks;

/// <summary>Numbers the exit codes of all programs: services and the command line share them.</summary>
public static class ExitCodes
{
    /// <summary>The program did what it was asked. For <c>optiks</c>, the answer was verified, which includes a proven absence.</summary>
    public const int Success = 0;

    /// <summary>A proof is invalid.</summary>
    public const int Invalid = 1;

    /// <summary>The command line is wrong.</summary>
    public const int Usage = 2;

    /// <summary>The server could not be reached, or it refused the request, or an awaited result did not come in time.</summary>
    public const int Unreachable = 3;

    /// <summary>The program found a rollback of the database or the board.</summary>
    public const int Rollback = 4;

    /// <summary>The log forked, or one of its trees did not only grow; the evidence was written.</summary>
    public const int Fork = 5;

    /// <summary>The configuration is wrong: the native library, a key or a setting is missing or invalid (sysexits' EX_CONFIG).</summary>
    public const int Configuration = 78;
}
