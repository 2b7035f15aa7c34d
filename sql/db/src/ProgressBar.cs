using System.Globalization;

namespace Optiks.Db;

/// <summary>ProgressBar shows on a terminal how far a long run is. Without one it is silent.</summary>
internal sealed class ProgressBar(TextWriter? terminal) : IDisposable
{
    private const int Width = 40;

    private static readonly TimeSpan s_interval = TimeSpan.FromMilliseconds(200);

    private long _shown;
    private bool _isVisible;

    /// <summary>ForTerminal shows on the program's standard error when a person may be watching it.</summary>
    public static ProgressBar ForTerminal(TextWriter error) => new(ReferenceEquals(error, Console.Error) && !Console.IsErrorRedirected ? error : null);

    /// <summary>Show draws the bar, a few times a second at most.</summary>
    public void Show(string what, ulong done, ulong total)
    {
        if (terminal is null || (_isVisible && TimeProvider.System.GetElapsedTime(_shown) < s_interval))
        {
            return;
        }
        _shown = TimeProvider.System.GetTimestamp();
        _isVisible = true;
        double share = total == 0 ? 1 : Math.Min(1, (double)done / total);
        int filled = (int)(share * Width);
        terminal.Write(string.Create(CultureInfo.InvariantCulture, $"\r{what} [{new string('#', filled)}{new string('.', Width - filled)}] {share:P0} {done:N0}"));
    }

    /// <summary>Dispose wipes the bar.</summary>
    public void Dispose()
    {
        if (_isVisible)
        {
            terminal!.Write("\r" + new string(' ', Width + 40) + "\r");
        }
    }
}
