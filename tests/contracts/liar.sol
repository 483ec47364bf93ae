// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

/// A token that emits any event that the caller wants.
contract Liar {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);

    function use(address authorizer, bytes32 nonce) external {
        emit AuthorizationUsed(authorizer, nonce);
    }

    function transfer(address from, address to, uint256 value) external {
        emit Transfer(from, to, value);
    }
}
