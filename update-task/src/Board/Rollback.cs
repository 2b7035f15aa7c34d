namespace Optiks.UpdateTask.Board;

/// <summary>
/// Makes the exceptions that end the task with exit code 4, before the task signs anything that could give the log a second history.
/// </summary>
internal static class Rollback
{
    /// <summary>
    /// Reports that the database is an older copy. An epoch signed from an older copy would give the log a second history.
    /// </summary>
    public static StartupException DatabaseBehind(string what, BoardFolder board) => new(
        ExitCodes.Rollback,
        $"{what} This is an older copy of the database, or another log's. Nothing was written. Put the newest copy of the database back, "
        + $"or add the missing epochs to this one with 'optiks-db import-bundles {board.Bundles}'; if epochs are lost for good, open a successor log. "
        + $"Never delete or edit {board.HighWater}: it keeps this log from signing two histories.");

    /// <summary>Reports that the board's folder is an older copy.</summary>
    public static StartupException BoardBehind(string what, BoardFolder board) => new(
        ExitCodes.Rollback,
        $"{what} An older copy of the board was put back. Nothing was written. Put the newest copy back; or delete {board.Log}, and the task rebuilds it from the database at its next start.");

    /// <summary>Reports that a file on the board differs from the file that was published.</summary>
    public static StartupException BoardDamaged(string what, BoardFolder board) => new(
        ExitCodes.Rollback,
        $"{what} Nothing was written. Put the file back from a copy of the board; or delete {board.Log}, and the task rebuilds it from the database at its next start.");

    /// <summary>
    /// Reports that the high-water mark or a bundle is missing or unusable. These files protect the log against a second history.
    /// </summary>
    public static StartupException StateLost(string what, BoardFolder board) => new(
        ExitCodes.Rollback,
        $"{what} Without it, the task cannot tell whether this database is the newest copy. Nothing was written. Restore {board.State} from the newest backup of the board, or point OPTIKS_DATA at the folder that belongs to this database. "
        + "If it is lost for good, 'optiks-db renew-mark' recreates it from the newest checkpoints that others have.");

    /// <summary>Reports that the board's folder belongs to another log.</summary>
    public static StartupException Foreign(string what, BoardFolder board) => new(
        ExitCodes.Rollback,
        $"{what} Nothing was written. Point OPTIKS_DATA at the folder that belongs to this log; or, if the bucket has this log's mark, at a folder without {board.Data.Board}, which the task then rebuilds.");

    /// <summary>Reports that the board or the database contains wrong data, or that the two contradict each other.</summary>
    public static StartupException Conflict(string what, BoardFolder board, Exception? inner = null) => new(
        ExitCodes.Rollback,
        $"{what} Nothing more is published. Published files never change: keep both copies as evidence, and restore the database and the board from backups of the same time, the newest that agree. The board is {board.Log}.",
        inner);
}
