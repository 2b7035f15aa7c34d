namespace Optiks.Client;

/// <summary>UserAlarmKind is what an alarm about an owner's user is about (docs/spec/user-monitor.md section 6).</summary>
public enum UserAlarmKind
{
    /// <summary>A version of the device list that was not set here: a device was added or taken away.</summary>
    DeviceList,

    /// <summary>A value of a device that was not set here.</summary>
    DeviceValue,

    /// <summary>The user has left, and that was not asked for here.</summary>
    Left,

    /// <summary>A name of the owner's leads to another user.</summary>
    NameElsewhere,
}
