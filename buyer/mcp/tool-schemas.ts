import type {Transport} from '@modelcontextprotocol/sdk/shared/transport.js';
import type {JSONRPCMessage} from '@modelcontextprotocol/sdk/types.js';

/**
 * Removes `$schema` from the JSON Schemas of tools. The SDK writes draft 7, which validators of draft 2020-12 refuse. Without `$schema`,
 * MCP assumes draft 2020-12, in which these schemas have the same meaning.
 */
export function removeDraft(transport: Transport): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    const listsTools = 'result' in message && Array.isArray(message.result['tools']);
    return send(listsTools ? withoutDraft(message) : message, options);
  };
}

function withoutDraft(message: JSONRPCMessage): JSONRPCMessage {
  const text = JSON.stringify(message, (member, value: unknown) => (member === '$schema' ? undefined : value));
  return JSON.parse(text) as JSONRPCMessage; // the same members but one
}
