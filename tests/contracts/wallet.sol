// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// A contract wallet (ERC-1271) that accepts the signatures of its owner, of 65 bytes like those of a key. The address of the owner is in the
/// first slot.
contract KeyWallet {
    address owner;

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        bytes32 r = bytes32(signature[0:32]);
        bytes32 s = bytes32(signature[32:64]);
        return ecrecover(hash, uint8(signature[64]), r, s) == owner ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }
}
