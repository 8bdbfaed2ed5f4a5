// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.shop;

import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.core.Application;

/** Everything REST is below /shop. */
@ApplicationPath("/shop")
public class ShopApplication extends Application {}
