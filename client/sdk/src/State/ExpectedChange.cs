namespace Optiks.Client;

/// <summary>An update made with this state that the log has not shown yet.</summary>
/// <param name="RequestId">Request id of the update.</param>
/// <param name="ValueSha256">SHA-256 of the value in hexadecimal.</param>
/// <param name="IsOvertaken">
/// Whether the log showed a later update by the owner first. If the log still publishes this update, this update undoes the later one.
/// </param>
public sealed record ExpectedChange(Guid RequestId, string ValueSha256, bool IsOvertaken = false) : IExpected<ExpectedChange>
{
    ExpectedChange IExpected<ExpectedChange>.Overtaken() => IsOvertaken ? this : this with { IsOvertaken = true };
}
