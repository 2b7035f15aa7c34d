using System.Diagnostics;

namespace Optiks.Storage.SqlServer.Tests;

/// <summary>
/// Records the commands that the client sends for one test, which it learns from the client's own diagnostics. Omits the commands of other
/// tests that run at the same time.
/// </summary>
internal sealed class CommandLog : IObserver<DiagnosticListener>, IObserver<KeyValuePair<string, object?>>, IDisposable
{
    private const string Listener = "SqlClientDiagnosticListener";
    private const string Before = "Before";

    private static readonly AsyncLocal<CommandLog?> s_current = new();

    private readonly List<IDisposable> _subscriptions = [];
    private readonly List<string> _sent = [];

    /// <summary>Begins to record the client's events in the caller, and in the code that the caller awaits.</summary>
    public CommandLog()
    {
        s_current.Value = this;
        _subscriptions.Add(DiagnosticListener.AllListeners.Subscribe(this));
    }

    /// <summary>
    /// The names of the events, such as <c>WriteCommand</c> and <c>WriteTransactionCommit</c>. The list has no events for the opening of
    /// connections.
    /// </summary>
    public IReadOnlyList<string> Sent => _sent;

    public void OnNext(DiagnosticListener value)
    {
        if (value.Name == Listener)
        {
            _subscriptions.Add(value.Subscribe(this));
        }
    }

    public void OnNext(KeyValuePair<string, object?> value)
    {
        string name = value.Key[(value.Key.LastIndexOf('.') + 1)..];
        if (s_current.Value == this && name.EndsWith(Before, StringComparison.Ordinal)
            && !name.Contains("Connection", StringComparison.Ordinal))
        {
            _sent.Add(name[..^Before.Length]);
        }
    }

    public void OnCompleted()
    {
    }

    public void OnError(Exception error)
    {
    }

    public void Dispose()
    {
        s_current.Value = null;
        _subscriptions.ForEach(subscription => subscription.Dispose());
    }
}
