namespace Optiks.Client;

/// <summary>The kind of an alarm about an owner's user (docs/spec/user-monitor.md section 6).</summary>
public enum UserAlarmKind
{
    /// <summary>A version of the device list that was not set here: a device was added or removed.</summary>
    DeviceList,

    /// <summary>A value of a device that was not set here.</summary>
    DeviceValue,

    /// <summary>The user has left, and that was not requested here.</summary>
    Left,

    /// <summary>One of the owner's names leads to another user.</summary>
    NameElsewhere,
}
