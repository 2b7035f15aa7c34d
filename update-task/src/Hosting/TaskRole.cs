namespace Optiks.UpdateTask.Hosting;

/// <summary>TaskRole says what the task is doing.</summary>
internal enum TaskRole
{
    /// <summary>Opening the database.</summary>
    Starting,

    /// <summary>Another task holds the lease.</summary>
    Standby,

    /// <summary>Holding the lease, rebuilding the trees.</summary>
    Recovering,

    /// <summary>Holding the lease and making epochs.</summary>
    Leading,
}
