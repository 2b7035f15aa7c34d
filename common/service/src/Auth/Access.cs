using Optiks.ApiKeys;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Describes which callers an endpoint answers, as in the table of docs/spec/rest.md section 3. An endpoint that requires no
/// <see cref="Access"/> is open to everybody.
/// </summary>
public sealed record Access
{
    private Access(ApiScopes scope, TokenReach tokens)
    {
        Scope = scope;
        Tokens = tokens;
    }

    /// <summary>The access to lookups, which applies only if the operator requires a credential for lookups.</summary>
    public static Access Lookup { get; } = new(ApiScopes.Lookup, TokenReach.Everything);

    /// <summary>The access to histories and to monitoring.</summary>
    public static Access History { get; } = new(ApiScopes.History, TokenReach.OwnKeys);

    /// <summary>The access to the history and the monitoring of a user.</summary>
    public static Access UserHistory { get; } = new(ApiScopes.History, TokenReach.OwnUser);

    /// <summary>The access to updates of keys.</summary>
    public static Access Update { get; } = new(ApiScopes.Update, TokenReach.OwnKeys);

    /// <summary>The access to changes of users.</summary>
    public static Access UpdateUsers { get; } = new(ApiScopes.Update, TokenReach.OwnDevices);

    /// <summary>The access to the status of updates and changes.</summary>
    public static Access Status { get; } = new(ApiScopes.Update, TokenReach.OwnKeysAndUser);

    /// <summary>The access to erasures of values and to their status.</summary>
    public static Access Erase { get; } = new(ApiScopes.Erase, TokenReach.OwnKeysAndUser);

    /// <summary>The access to a replica's snapshot.</summary>
    public static Access Snapshot { get; } = new(ApiScopes.Snapshot, TokenReach.Nothing);

    /// <summary>The access to the program's metrics.</summary>
    public static Access Metrics { get; } = new(ApiScopes.Metrics, TokenReach.Nothing);

    /// <summary>All values of this type.</summary>
    public static IReadOnlyList<Access> All { get; } = [Lookup, History, UserHistory, Update, UpdateUsers, Status, Erase,
        Snapshot, Metrics];

    /// <summary>The scope that the caller's credential must have.</summary>
    public ApiScopes Scope { get; }

    /// <summary>The keys and users about which the endpoint answers a caller with a token.</summary>
    public TokenReach Tokens { get; }

    /// <summary>The scope's name in credentials and problems.</summary>
    internal string ScopeName => ApiKeyFile.ScopeName(Scope);

    /// <summary>The name of the ASP.NET Core authorization policy for this access.</summary>
    internal string Policy => $"scope:{ScopeName}:{Tokens}";
}
