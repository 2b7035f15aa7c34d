namespace Optiks;

/// <summary>ExitCodes of the programs: the services' and the command line's, which share one numbering.</summary>
public static class ExitCodes
{
    /// <summary>Done; for <c>optiks</c>: verified, a proven absence too.</summary>
    public const int Success = 0;

    /// <summary>A proof is invalid.</summary>
    public const int Invalid = 1;

    /// <summary>The command line is wrong.</summary>
    public const int Usage = 2;

    /// <summary>The server cannot be reached or refused, or what was waited for did not happen in time.</summary>
    public const int Unreachable = 3;

    /// <summary>A rollback of the database or the board was found.</summary>
    public const int Rollback = 4;

    /// <summary>The log forked, or a tree of its did not only grow; the evidence was written.</summary>
    public const int Fork = 5;

    /// <summary>Configuration: missing or wrong native library, key or setting (sysexits' EX_CONFIG).</summary>
    public const int Configuration = 78;
}
