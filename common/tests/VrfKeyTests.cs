using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Common.Tests;

public sealed class VrfKeyTests
{
    [Fact]
    public void Input_is_structure_length_key_and_version()
    {
        Assert.Equal("03" + "05" + "616C696365" + "0000000000000102",
            Convert.ToHexString(VrfKey.Input(StructureId.Keys, "alice"u8, 0x102)));
        Assert.Equal("01" + "00" + "0000000000000000", Convert.ToHexString(VrfKey.Input(StructureId.Usernames, [], 0)));
    }

    [Fact]
    public void Input_takes_no_key_that_is_too_long()
    {
        Assert.Equal(1 + 1 + 255 + 8, VrfKey.Input(StructureId.Keys, new byte[255], 1).Length);
        Assert.Throws<OverflowException>(() => VrfKey.Input(StructureId.Keys, new byte[256], 1));
    }
}
