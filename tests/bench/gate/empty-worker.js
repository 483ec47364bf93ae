/** The floor of every Worker: an answer without a look at the request. */
export default {fetch: () => new Response('{}')};
