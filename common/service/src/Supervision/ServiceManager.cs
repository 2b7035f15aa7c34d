using System.Diagnostics;
using System.Net.Sockets;
using System.Text;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Sends reports to the service manager that started this process. The manager is systemd, or another program with the protocol of
/// sd_notify, in which datagrams of lines are sent to the socket that the environment variable NOTIFY_SOCKET names. Any thread may use it.
/// </summary>
/// <remarks>docs/adr/0010-we-speak-to-systemd-ourselves.md says why Optiks does not use the existing package.</remarks>
internal sealed class ServiceManager
{
    /// <summary>The environment variable that names the socket. A name that begins with @ means an abstract socket.</summary>
    public const string Variable = "NOTIFY_SOCKET";

    // The longest time for which the service waits if the manager does not read its reports.
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(2);

    private readonly UnixDomainSocketEndPoint _address;
    private readonly Lock _order = new();
    private bool _isReady;
    private bool _isStopping;

    private ServiceManager(UnixDomainSocketEndPoint address)
    {
        _address = address;
    }

    /// <summary>
    /// Returns the manager that the environment names; null if there is no manager. Throws <see cref="StartupException"/> if the
    /// environment has a name that no socket can have.
    /// </summary>
    public static ServiceManager? Find(Func<string, string?> environment)
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

    /// <summary>
    /// Reports the service's state as a text for people. The first call in which <paramref name="isReady"/> is true also reports that the
    /// service is ready; in later calls <paramref name="isReady"/> has no effect.
    /// </summary>
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

    /// <summary>
    /// Runs the action <paramref name="reload"/>, and reports its beginning and its end. If the service was not ready before the reload,
    /// the report of the end does not say that it is ready.
    /// </summary>
    public void TellReload(Action reload)
    {
        ArgumentNullException.ThrowIfNull(reload);
        lock (_order)
        {
            if (_isReady && !_isStopping)
            {
                // The message contains the time, by which the manager recognizes to which of its reload requests the message belongs.
                // `Stopwatch` reads the same clock as the manager.
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

    /// <summary>Reports that the process is ending. After this call, no more reports are sent.</summary>
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
        using var socket = new Socket(
            AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified)
        { SendTimeout = (int)s_patience.TotalMilliseconds };
        try
        {
            socket.SendTo(Encoding.UTF8.GetBytes(text), _address);
        }
        catch (SocketException)
        {
            // The message was not delivered. A manager that restarts asks for the state again, and a manager that has ended needs no
            // report.
        }
    }
}
