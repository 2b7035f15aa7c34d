using Optiks.Tlog;

namespace Optiks.UpdateTask.Board;

/// <summary>Represents the board while only this process writes to it.</summary>
/// <param name="Folder">The board's folder.</param>
/// <param name="Writer">The writer of tiles and checkpoint.</param>
/// <param name="Lock">The lock that callers pass to the writer.</param>
internal sealed record LockedBoard(BoardFolder Folder, BoardWriter Writer, BoardLock Lock);
