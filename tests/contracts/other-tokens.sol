// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

/// A token that tells its EIP-712 domain in parts alone (EIP-5267), and takes every transfer.
contract TellsDomain {
    function eip712Domain()
        external
        view
        virtual
        returns (bytes1, string memory, string memory, uint256, address, bytes32, uint256[] memory)
    {
        return (hex"0f", "USDC", "2", block.chainid, address(this), bytes32(0), new uint256[](0));
    }

    function transfer(address, uint256) external pure virtual returns (bool) {
        return true;
    }
}

/// The same with another version, for which x402 signs nothing.
contract TellsOtherDomain is TellsDomain {
    function eip712Domain()
        external
        view
        override
        returns (bytes1, string memory, string memory, uint256, address, bytes32, uint256[] memory)
    {
        return (hex"0f", "USDC", "1", block.chainid, address(this), bytes32(0), new uint256[](0));
    }
}

/// The same that pays nobody.
contract PaysNobody is TellsDomain {
    function transfer(address, uint256) external pure override returns (bool) {
        revert();
    }
}
