using Optiks.ApiKeys;

namespace Optiks.ServiceDefaults;

/// <summary>Access is what endpoints ask of their callers: the table of docs/spec/rest.md section 3. An endpoint without one is open.</summary>
public sealed record Access
{
    private Access(ApiScopes scope, TokenReach tokens)
    {
        Scope = scope;
        Tokens = tokens;
    }

    /// <summary>Lookup, where the operator has closed lookups.</summary>
    public static Access Lookup { get; } = new(ApiScopes.Lookup, TokenReach.Everything);

    /// <summary>History: history and monitoring.</summary>
    public static Access History { get; } = new(ApiScopes.History, TokenReach.OwnKeys);

    /// <summary>UserHistory: history and monitoring of a user.</summary>
    public static Access UserHistory { get; } = new(ApiScopes.History, TokenReach.OwnUser);

    /// <summary>Update: updates of keys.</summary>
    public static Access Update { get; } = new(ApiScopes.Update, TokenReach.OwnKeys);

    /// <summary>UpdateUsers: changes of users.</summary>
    public static Access UpdateUsers { get; } = new(ApiScopes.Update, TokenReach.OwnDevices);

    /// <summary>Status of updates and changes.</summary>
    public static Access Status { get; } = new(ApiScopes.Update, TokenReach.OwnKeysAndUser);

    /// <summary>Erase values, and be told what became of it.</summary>
    public static Access Erase { get; } = new(ApiScopes.Erase, TokenReach.OwnKeysAndUser);

    /// <summary>Snapshot of a replica.</summary>
    public static Access Snapshot { get; } = new(ApiScopes.Snapshot, TokenReach.Nothing);

    /// <summary>Metrics of the program.</summary>
    public static Access Metrics { get; } = new(ApiScopes.Metrics, TokenReach.Nothing);

    /// <summary>All of them.</summary>
    public static IReadOnlyList<Access> All { get; } = [Lookup, History, UserHistory, Update, UpdateUsers, Status, Erase, Snapshot, Metrics];

    /// <summary>Scope that the credential must have.</summary>
    public ApiScopes Scope { get; }

    /// <summary>Tokens: how far they get.</summary>
    public TokenReach Tokens { get; }

    /// <summary>ScopeName as it stands in credentials and problems.</summary>
    internal string ScopeName => ApiKeyFile.ScopeName(Scope);

    /// <summary>Policy is its name within ASP.NET Core.</summary>
    internal string Policy => $"scope:{ScopeName}:{Tokens}";
}
