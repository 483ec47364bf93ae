export {createConfig, lint} from '@redocly/openapi-core';
