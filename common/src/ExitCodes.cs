namespace Optiks;

/// <summary>Lists the exit codes, which are the same for all services and the command line.</summary>
public static class ExitCodes
{
    /// <summary>The program did what it was asked to do. The command <c>optiks</c> verified the answer, which may also be a proof that the
    /// key is absent.</summary>
    public const int Success = 0;

    /// <summary>A proof is invalid.</summary>
    public const int Invalid = 1;

    /// <summary>The command line is wrong.</summary>
    public const int Usage = 2;

    /// <summary>The server could not be reached, or it refused the request, or the awaited result did not come in time.</summary>
    public const int Unreachable = 3;

    /// <summary>The program found a rollback of the database or the board.</summary>
    public const int Rollback = 4;

    /// <summary>The log has two histories (a fork), or one of its trees changed in another way than by adding leaves. The program has
    /// written the evidence.</summary>
    public const int Fork = 5;

    /// <summary>The configuration is wrong: the native library, a key or a setting is missing or invalid (sysexits' EX_CONFIG).</summary>
    public const int Configuration = 78;
}
