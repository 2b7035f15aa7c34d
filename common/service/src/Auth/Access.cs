using Optiks.ApiKeys;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Holds an endpoint's requirements for its callers: the table of docs/spec/rest.md section 3. An endpoint without one is open.
/// </summary>
public sealed record Access
{
    private Access(ApiScopes scope, TokenReach tokens)
    {
        Scope = scope;
        Tokens = tokens;
    }

    /// <summary>Looks up, where the operator has closed lookups.</summary>
    public static Access Lookup { get; } = new(ApiScopes.Lookup, TokenReach.Everything);

    /// <summary>Reads history, and monitors.</summary>
    public static Access History { get; } = new(ApiScopes.History, TokenReach.OwnKeys);

    /// <summary>Reads the history of a user, and monitors the user.</summary>
    public static Access UserHistory { get; } = new(ApiScopes.History, TokenReach.OwnUser);

    /// <summary>Updates keys.</summary>
    public static Access Update { get; } = new(ApiScopes.Update, TokenReach.OwnKeys);

    /// <summary>Changes users.</summary>
    public static Access UpdateUsers { get; } = new(ApiScopes.Update, TokenReach.OwnDevices);

    /// <summary>Reads the status of updates and changes.</summary>
    public static Access Status { get; } = new(ApiScopes.Update, TokenReach.OwnKeysAndUser);

    /// <summary>Erases values, and reads the status of erasures.</summary>
    public static Access Erase { get; } = new(ApiScopes.Erase, TokenReach.OwnKeysAndUser);

    /// <summary>Downloads a replica's snapshot.</summary>
    public static Access Snapshot { get; } = new(ApiScopes.Snapshot, TokenReach.Nothing);

    /// <summary>Reads the program's metrics.</summary>
    public static Access Metrics { get; } = new(ApiScopes.Metrics, TokenReach.Nothing);

    /// <summary>All accesses.</summary>
    public static IReadOnlyList<Access> All { get; } = [Lookup, History, UserHistory, Update, UpdateUsers, Status, Erase, Snapshot, Metrics];

    /// <summary>The scope that the credential must have.</summary>
    public ApiScopes Scope { get; }

    /// <summary>How far tokens reach.</summary>
    public TokenReach Tokens { get; }

    /// <summary>The scope's name in credentials and problems.</summary>
    internal string ScopeName => ApiKeyFile.ScopeName(Scope);

    /// <summary>The name of the policy within ASP.NET Core.</summary>
    internal string Policy => $"scope:{ScopeName}:{Tokens}";
}
