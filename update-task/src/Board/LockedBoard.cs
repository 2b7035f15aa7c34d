using Optiks.Tlog;

namespace Optiks.UpdateTask.Board;

/// <summary>LockedBoard is the board while this process alone writes to it.</summary>
/// <param name="Folder">Where it is.</param>
/// <param name="Writer">Writes tiles and checkpoint.</param>
/// <param name="Lock">What the writer is shown.</param>
internal sealed record LockedBoard(BoardFolder Folder, BoardWriter Writer, BoardLock Lock);
