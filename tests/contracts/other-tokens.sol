// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

/// A token that reports its EIP-712 domain only by its fields (EIP-5267), and accepts every transfer.
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

/// The same token with another version of the domain. x402 signs nothing for it.
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

/// The same token, but it refuses every transfer.
contract PaysNobody is TellsDomain {
    function transfer(address, uint256) external pure override returns (bool) {
        revert();
    }
}
