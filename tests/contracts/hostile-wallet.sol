// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// A contract wallet (ERC-1271) that accepts every signature, unless its first slot changes that.
contract HostileWallet {
    /// 0: accepts. 1: reverts. 2: accepts only if gas has no price, as in most simulations.
    uint256 mode;
    /// Units of gas that each check burns.
    uint256 burned;

    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        uint256 end = gasleft() - burned;
        while (gasleft() > end) {}
        require(mode == 0 || (mode == 2 && tx.gasprice == 0));
        return 0x1626ba7e;
    }
}
