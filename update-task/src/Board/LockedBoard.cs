using Optiks.Tlog;

namespace Optiks.UpdateTask.Board;

/// <summary>Holds the board while this process has the board's lock, so that no other process writes to the board.</summary>
/// <param name="Folder">The board's folder.</param>
/// <param name="Writer">The writer of the board's tiles and checkpoint.</param>
/// <param name="Lock">The board's lock, which callers pass to the writer's methods.</param>
internal sealed record LockedBoard(BoardFolder Folder, BoardWriter Writer, BoardLock Lock);
