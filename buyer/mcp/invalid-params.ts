import type {Transport} from '@modelcontextprotocol/sdk/shared/transport.js';
import {ClientRequestSchema, ErrorCode, type JSONRPCMessage} from '@modelcontextprotocol/sdk/types.js';
import {printable} from '../../shared/printable.ts';

/**
 * Answers unknown tools and invalid parameters with the error −32602, as the protocol requires. The SDK answers an unknown tool with a
 * result, and a missing parameter with −32603.
 *
 * @param transport is connected to a server
 * @param tools the names of the tools
 */
export function refuseInvalid(transport: Transport, tools: ReadonlySet<string>): void {
  const pass = transport.onmessage;
  transport.onmessage = (message, extra) => {
    const fault = faultIn(message, tools);
    if (fault === undefined || !('id' in message) || message.id === undefined) return pass?.(message, extra);
    const error = {code: ErrorCode.InvalidParams, message: `Invalid params: ${fault}`};
    void transport.send({jsonrpc: '2.0', id: message.id, error});
    return undefined;
  };
}

function faultIn(message: JSONRPCMessage, tools: ReadonlySet<string>): string | undefined {
  if (!('method' in message && 'id' in message)) return undefined;
  const schema = ClientRequestSchema.options.find(({shape}) => shape.method.value === message.method);
  const {error} = schema?.safeParse(message) ?? {};
  const [issue] = error?.issues ?? [];
  if (issue) return `${issue.path.join('.')}: ${issue.message}`;
  const name = message.params?.['name'];
  if (message.method !== 'tools/call' || tools.has(String(name))) return undefined;
  return `unknown tool ${printable(JSON.stringify(String(name).slice(0, 100)))}. The tools are ${[...tools].join(', ')}`;
}
