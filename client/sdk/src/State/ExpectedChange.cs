namespace Optiks.Client;

/// <summary>An update made here that the log has not shown yet.</summary>
/// <param name="RequestId">Request id of the update.</param>
/// <param name="ValueSha256">SHA-256 of the value in hexadecimal.</param>
/// <param name="IsOvertaken">A later update made here was seen first: if this one is published now, it undoes that.</param>
public sealed record ExpectedChange(Guid RequestId, string ValueSha256, bool IsOvertaken = false) : IExpected<ExpectedChange>
{
    ExpectedChange IExpected<ExpectedChange>.Overtaken() => IsOvertaken ? this : this with { IsOvertaken = true };
}
