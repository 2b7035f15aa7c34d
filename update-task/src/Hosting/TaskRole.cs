namespace Optiks.UpdateTask.Hosting;

/// <summary>Lists the roles of the task.</summary>
internal enum TaskRole
{
    /// <summary>The task is opening the database.</summary>
    Starting,

    /// <summary>The task waits, because another task holds the lease.</summary>
    Standby,

    /// <summary>The task holds the lease and is rebuilding the trees.</summary>
    Recovering,

    /// <summary>The task holds the lease and makes epochs.</summary>
    Leading,
}
