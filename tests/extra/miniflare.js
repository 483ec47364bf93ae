export * from 'miniflare';
