using System.Diagnostics;
using System.Net.Sockets;
using System.Text;

namespace Optiks.ServiceDefaults;

/// <summary>
/// ServiceManager is who started this process and waits for word of it: systemd, or another that has sd_notify's protocol (datagrams of lines to the socket that <see cref="Variable"/> names). Any thread.
/// </summary>
/// <remarks>Why not by the package that there is: docs/adr/0010-we-speak-to-systemd-ourselves.md.</remarks>
internal sealed class ServiceManager
{
    /// <summary>Variable that names the socket; a name that begins with @ is an abstract one.</summary>
    public const string Variable = "NOTIFY_SOCKET";

    // One that does not read holds up nobody for longer.
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(2);

    private readonly UnixDomainSocketEndPoint _address;
    private readonly Lock _order = new();
    private bool _isReady;
    private bool _isStopping;

    private ServiceManager(UnixDomainSocketEndPoint address)
    {
        _address = address;
    }

    /// <summary>Of the environment; null when nobody waits. Throws <see cref="StartupException"/> for a name that no socket can have.</summary>
    public static ServiceManager? Of(Func<string, string?> environment)
    {
        if (environment(Variable) is not { Length: > 0 } name)
        {
            return null;
        }
        try
        {
            return new ServiceManager(new UnixDomainSocketEndPoint(name[0] == '@' ? $"\0{name[1..]}" : name));
        }
        catch (ArgumentException e)
        {
            throw new StartupException($"{Variable} is not the name of a socket.", e);
        }
    }

    /// <summary>TellStatus says how things are, in words for people. Before it was ever ready, <paramref name="isReady"/> says that it is now; later it says nothing.</summary>
    public void TellStatus(string status, bool isReady)
    {
        lock (_order)
        {
            if (_isStopping)
            {
                return;
            }
            bool isNews = isReady && !_isReady;
            _isReady |= isReady;
            Send($"{(isNews ? "READY=1\n" : "")}STATUS={ErrorText.Line(status)}\n");
        }
    }

    /// <summary>TellReload says that <paramref name="reload"/> runs, while it does. Whoever is not ready yet is not said to be so by having reloaded.</summary>
    public void TellReload(Action reload)
    {
        ArgumentNullException.ThrowIfNull(reload);
        lock (_order)
        {
            if (_isReady && !_isStopping)
            {
                // The time tells the manager which of its requests this answers. Stopwatch reads the clock that it means.
                Send($"RELOADING=1\nMONOTONIC_USEC={(long)Stopwatch.GetElapsedTime(0).TotalMicroseconds}\n");
            }
            try
            {
                reload();
            }
            finally
            {
                if (_isReady && !_isStopping)
                {
                    Send("READY=1\n");
                }
            }
        }
    }

    /// <summary>TellStopping says that the process ends by itself; nothing is told afterwards.</summary>
    public void TellStopping()
    {
        lock (_order)
        {
            _isStopping = true;
            Send("STOPPING=1\n");
        }
    }

    private void Send(string text)
    {
        using var socket = new Socket(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified) { SendTimeout = (int)s_patience.TotalMilliseconds };
        try
        {
            socket.SendTo(Encoding.UTF8.GetBytes(text), _address);
        }
        catch (SocketException)
        {
            // A manager that is being restarted asks again by its own means; one that is gone wants no word.
        }
    }
}
