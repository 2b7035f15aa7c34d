namespace Optiks.ServiceDefaults;

/// <summary>Describes one of the fixed reasons for which a token is refused.</summary>
/// <param name="Name">The <c>reason</c> of the problem.</param>
/// <param name="Detail">The <c>detail</c> of the problem.</param>
internal sealed record TokenRefusal(string Name, string Detail);
